/** A manual in the style of Sphinx: chapters in folders three levels deep, links up and down, neighbours in the head. */
import { Prose, namesOf } from './prose.mjs';

/** Pages by path. @param {{ seed: number, parts: number, chapters: number, sections: number }} size */
export function manualPages({ seed, parts, chapters, sections }) {
  const prose = new Prose(seed, 1);
  const paths = ['index.html'];
  for (const part of namesOf(prose, parts, 1)) {
    paths.push(`${part}/index.html`);
    for (const chapter of namesOf(prose, chapters, 1)) {
      paths.push(`${part}/${chapter}/index.html`);
      for (const section of namesOf(prose, sections, 2)) paths.push(`${part}/${chapter}/${section}.html`);
    }
  }
  paths.push('genindex.html', 'contents.html');
  return new Map(paths.map((path, index) => [path, pageOf(new Prose(seed, 2, index), paths, index)]));
}

/** The relative reference from one path to another. */
export function relativeTo(from, to) {
  const [folders, target] = [from.split('/').slice(0, -1), to.split('/')];
  let common = 0;
  while (common < folders.length && common < target.length - 1 && folders[common] === target[common]) common += 1;
  return '../'.repeat(folders.length - common) + target.slice(common).join('/');
}

const titleOf = (path) =>
  path
    .split('/')
    .at(path.endsWith('/index.html') ? -2 : -1)
    .replace('.html', '');

/** The pages one step below an index. */
function below(paths, index) {
  const folder = paths[index].replace(/index\.html$/, '');
  const depth = folder.split('/').length;
  return paths.filter((path) => {
    if (!path.startsWith(folder) || path === paths[index]) return false;
    const rest = path.split('/').length - depth;
    return path.endsWith('/index.html') ? rest === 1 : rest === 0;
  });
}

function pageOf(prose, paths, index) {
  const path = paths[index];
  const to = (other) => relativeTo(path, other);
  const previous = paths[index - 1];
  const next = paths[index + 1];
  const neighbours = [
    previous && `<a href="${to(previous)}" title="${titleOf(previous)}"\n             accesskey="P">previous</a>`,
    next && `<a href="${to(next)}" title="${titleOf(next)}"\n             accesskey="N">next</a>`,
  ].filter(Boolean);
  const listed = path === 'genindex.html' ? paths : path.endsWith('index.html') ? below(paths, index) : [];
  return `
<!DOCTYPE html>

<html lang="en" data-content_root="${to('')}">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1.0" />
    <title>${titleOf(path)} &#8212; Manual 3.2 documentation</title>
    <link rel="stylesheet" type="text/css" href="${to('_static/pygments.css')}?v=4f649999" />
    <script src="${to('_static/doctools.js')}"></script>
    <link rel="index" title="Index" href="${to('genindex.html')}" />
    ${next ? `<link rel="next" title="${titleOf(next)}" href="${to(next)}" />` : ''}
    ${previous ? `<link rel="prev" title="${titleOf(previous)}" href="${to(previous)}" />` : ''}
  </head><body>
    <div class="related" role="navigation" aria-label="Related">
      <h3>Navigation</h3>
      <ul><li class="right">${neighbours.join(' |</li>\n        <li class="right">')}</li>
        <li class="nav-item nav-item-0"><a href="${to('index.html')}">Manual</a> &#187;</li></ul>
    </div>
  <section id="${titleOf(path)}">
<h1>${titleOf(path)}<a class="headerlink" href="#${titleOf(path)}" title="Link to this heading">¶</a></h1>
${sectionsOf(prose, paths, to)}
<div class="toctree-wrapper compound"><ul>
${listed.map((other) => `<li class="toctree-l1"><a class="reference internal" href="${to(other)}">${titleOf(other)}</a></li>`).join('\n')}
</ul></div>
</section>
    <form class="search" action="${to('search.html')}" method="get"><input type="text" name="q" aria-labelledby="s" /></form>
    <a href="${to('_sources/')}${path.replace('.html', '.rst.txt')}"
       rel="nofollow">Show Source</a>
  </body>
</html>`;
}

function sectionsOf(prose, paths, to) {
  return prose.list(prose.int(3, 9), (index) => {
    const id = `section-${index}`;
    return `<section id="${id}">
<span id="index-${index}"></span><h2>${prose.name()}<a class="headerlink" href="#${id}" title="Link to this heading">¶</a></h2>
<p>${prose.text(4)} <a class="reference internal" href="${to(prose.pick(paths))}#${id}"><span class="std std-ref">${prose.word()}</span></a>
  ${prose.chance(0.2) ? `<a class="reference external" href="https://outside.example.invalid/${prose.word()}?a=1&amp;b=2">${prose.word()}</a>` : prose.sentence()}</p>
<dl class="py method"><dt class="sig sig-object py" id="m.${prose.word()}"><em class="sig-param"><span class="n">self</span></em> → <em>str</em></dt>
<dd><p>${prose.text(2)}</p></dd></dl>
<div class="highlight-python3 notranslate"><div class="highlight"><pre><span></span><span class="gp">&gt;&gt;&gt; </span><span class="k">if</span> <span class="n">a</span> <span class="o">&lt;</span> <span class="mi">${index}</span><span class="p">:</span>
</pre></div>
</div>
</section>
`;
  });
}

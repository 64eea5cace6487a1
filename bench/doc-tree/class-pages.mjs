/** Trees in the style of JSDoc: one flat folder, one page per class, every page with the whole navigation. */
import { Prose, namesOf } from './prose.mjs';

const LEGACY_SCRIPT = `<!--[if lt IE 9]>
      <script src="//html5shiv.example.invalid/html5.js"></script>
    <![endif]-->`;

/**
 * Pages by file name; `classes` of them have members, and each a page with its source.
 * @param {{ seed: number, title: string, classes: number, members: [number, number], menus: boolean }} size `menus`: the
 * navigation
 *   is a menu with three links a class
 */
export function classPages({ seed, title, classes, members, menus }) {
  const names = namesOf(new Prose(seed, 1), classes);
  const navigation = menus ? menuOf(names) : listOf(names);
  const page = (heading, body) => frame(title, heading, navigation, body);
  const pages = new Map([['index.html', page('Home', readme(seed, title, names))]]);
  pages.set('classes.list.html', page('Classes', `<dl>${names.map(entryOf).join('\n\n')}</dl>`));
  names.forEach((name, index) => {
    const prose = new Prose(seed, 2, index);
    const methods = namesOf(prose, prose.int(...members), 1);
    pages.set(`${name}.html`, page(`Class: ${name}`, classBody(prose, name, methods, names)));
    pages.set(`${sourceOf(name)}`, page(`Source: ${name}`, sourceBody(prose, name, methods)));
  });
  return pages;
}

const sourceOf = (name) => `src_${name.toLowerCase()}.js.html`;
const entryOf = (name) => `<dt><a href="${name}.html">${name}</a></dt><dd></dd>`;
const listOf = (names) =>
  `<nav>\n    <h2><a href="index.html">Home</a></h2><h3>Classes</h3><ul>${names.map((name) => `<li><a href="${name}.html">${name}</a></li>`).join('')}</ul>\n</nav>`;
const menuOf = (names) =>
  `<ul class="nav">\n\t<li class="dropdown">\n\t\t<a href="classes.list.html" class="dropdown-toggle" data-toggle="dropdown">Classes<b\n\t\t\tclass="caret"></b></a>\n\t\t<ul class="dropdown-menu ">\n${names
    .map(
      (name) =>
        `\t\t\t<li class="class-depth-1">\n\t\t\t\t<a href="${name}.html">${name}</a> <a href="${name}.html#methods" title='${name} &raquo; methods'>&raquo;</a>\n\t\t\t</li>\n`,
    )
    .join('\n')}\t\t</ul>\n\t</li>\n</ul>`;

function frame(title, heading, navigation, body) {
  return `<!DOCTYPE html>
<html lang="en">
<head>
    <meta charset="utf-8">
    <title>${title}: ${heading}</title>

    <script src="scripts/prettify/prettify.js"> </script>
    ${LEGACY_SCRIPT}
    <link type="text/css" rel="stylesheet" href="styles/jsdoc-default.css">
</head>

<body>

<div id="main">

    <h1 class="page-title">${heading}</h1>




${body}
</div>

${navigation}

<br class="clear">

<footer>
    Documentation generated from the source.
</footer>

<script> prettyPrint(); document.write('<a href="written.html">x<\\/a>'); </script>
<script src="scripts/linenumber.js"> </script>
</body>
</html>
`;
}

function readme(seed, title, names) {
  const prose = new Prose(seed, 3);
  const chapters = prose.list(8, () => {
    const code = `    $ npm install ${title.toLowerCase()}\n    if (a &lt; b &amp;&amp; c) { return "${prose.word()}"; }`;
    return `<h2>${prose.name()}</h2><p>${prose.text(4)}
See <a href="${prose.pick(names)}.html">${prose.word()}</a> and <a href="http://outside.example.invalid/">the rest</a>.</p>
<pre class="prettyprint source"><code>${code}</code></pre>`;
  });
  return `    <section>\n        <article>${chapters}</article>\n    </section>`;
}

function classBody(prose, name, methods, names) {
  const other = () => prose.pick(names);
  const parameters = () =>
    prose.list(
      prose.int(1, 4),
      () => `
        <tr>
                <td class="name"><code>${prose.word()}</code></td>
            <td class="type">

<span class="param-type"><a href="${other()}.html">${prose.word()}</a></span>
|
<span class="param-type">Array.&lt;string></span>

            </td>
            <td class="description last">${prose.sentence()}</td>
        </tr>
`,
    );
  const members = methods.map(
    (method, index) => `
    <h4 class="name" id="${method}"><span class="type-signature"></span>${method}<span class="signature">(options, callback<span class="signature-attributes">opt</span>)</span></h4>
<div class="description">
    ${prose.text(2)}
</div>
<table class="params">
    <thead>
    <tr><th>Name</th><th>Type</th><th class="last">Description</th></tr>
    </thead>
    <tbody>${parameters()}</tbody>
</table>
<dl class="details">
    <dt class="tag-source">Source:</dt>
    <dd class="tag-source"><ul class="dummy"><li>
        <a href="${sourceOf(name)}">${name.toLowerCase()}.js</a>, <a href="${sourceOf(name)}#line${index * 8 + 1}">line ${index * 8 + 1}</a>
    </li></ul></dd>
</dl>`,
  );
  return `<section>
<header>
    <h2>${name}</h2>
</header>
<article>
    <div class="container-overview">
    <p>${prose.text(3)} Extends <a href="${other()}.html#${prose.pick(methods)}">${other()}</a>.</p>
    </div>
    <h3 class="subsection-title" id="methods">Methods</h3>
${members.join('\n\n\n')}
</article>
</section>`;
}

function sourceBody(prose, name, methods) {
  const code = methods.map(
    (method) => `/**
 * ${prose.text(1)} <a href="https://tracker.example.invalid/${method}">ticket</a>
 */
this.${method} = function (options, callback) {
    for (var i = 0; i &lt; options.length; i++) {
        if (options[i] &amp;&amp; i > 1) callback("&lt;b>${prose.word()}&lt;/b>");
    }
};
`,
  );
  return `<section><article>\n<pre class="prettyprint source linenums"><code>function ${name}() {\n${code.join('\n')}}\n</code></pre>\n</article></section>`;
}

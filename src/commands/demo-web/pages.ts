/**
 * The bundled web: three small sites that link to each other, with everything that a crawl meets: an index, pages
 * that are linked twice, a disallowed folder, a dead link, a redirect, a copy, a slow page.
 */

export const demoSites = ['observatory', 'garden', 'library'] as const;
export type DemoSite = (typeof demoSites)[number];

export interface DemoPage {
  readonly title: string;
  readonly text: string;
  /** Paths of the same site, or `site:/path` of another. */
  readonly links: readonly string[];
}

type Row = readonly [path: string, title: string, text: string, ...links: string[]];

const observatory: readonly Row[] = [
  [
    '/',
    'The Hill Observatory',
    'Six domes on a hill, open on clear nights.',
    '/planets/',
    '/instruments/',
    '/visit',
    '/long-exposure',
    'garden:/',
    'library:/',
  ],
  [
    '/planets/',
    'Planets tonight',
    'Four planets can be seen without a telescope this month.',
    '/planets/jupiter',
    '/planets/saturn',
    '/planets/mars',
    '/planets/venus',
    '/',
  ],
  [
    '/planets/jupiter',
    'Jupiter',
    'Its four large moons change places within an hour; bring binoculars and patience.',
    '/planets/',
    '/instruments/refractor',
  ],
  [
    '/planets/saturn',
    'Saturn',
    'The rings close every fifteen years, and then a thin line is all that is left of them.',
    '/planets/',
    '/planets/jupiter',
  ],
  [
    '/planets/mars',
    'Mars',
    'Red by rust. In a good year the polar caps can be drawn by hand.',
    '/planets/',
    'library:/essays/on-canals',
  ],
  [
    '/planets/venus',
    'Venus',
    'The evening star has phases, as the Moon has. It is the best planet for a first look.',
    '/planets/',
  ],
  [
    '/instruments/',
    'Instruments',
    'What stands under the domes.',
    '/instruments/refractor',
    '/instruments/transit',
    '/instruments/clock',
    '/',
  ],
  [
    '/instruments/refractor',
    'The great refractor',
    'Two lenses, nine metres of tube, and a floor that can be raised.',
    '/instruments/',
    '/planets/saturn',
  ],
  [
    '/instruments/transit',
    'The transit circle',
    'It looks at one line of the sky only, and so it tells the time.',
    '/instruments/clock',
    '/instruments/',
  ],
  [
    '/instruments/clock',
    'The sidereal clock',
    'It gains four minutes a day on yours, and is right.',
    '/instruments/transit',
  ],
  [
    '/visit',
    'Visit us',
    'Every clear Friday after sunset. The path leads through the garden.',
    '/',
    'garden:/',
    'garden:/night',
  ],
  [
    '/long-exposure',
    'A long exposure',
    'This plate was open for six hours; the page takes a while to come, too.',
    '/instruments/refractor',
  ],
];

const garden: readonly Row[] = [
  [
    '/',
    'The Walled Garden',
    'Herbs, bees, and a pond, behind a wall that keeps the warmth of the day.',
    '/herbs/',
    '/bees',
    '/pond',
    '/night',
    '/old-map',
    'library:/',
  ],
  [
    '/herbs/',
    'Herbs',
    'A row for the kitchen and a row for the pharmacy.',
    '/herbs/thyme',
    '/herbs/thyme-print',
    '/herbs/sage',
    '/herbs/mint',
    '/herbs/rue',
  ],
  ['/herbs/thyme', 'Thyme', 'It wants a dry place and poor soil, and repays neglect with scent.', '/herbs/', '/bees'],
  [
    '/herbs/thyme-print',
    'Thyme',
    'It wants a dry place and poor soil, and repays neglect with scent.',
    '/herbs/',
    '/bees',
  ],
  ['/herbs/sage', 'Sage', 'Cut it back in spring, never in autumn.', '/herbs/', '/herbs/thyme'],
  ['/herbs/mint', 'Mint', 'Plant it in a pot without a hole, or you will have it everywhere.', '/herbs/', '/pond'],
  ['/herbs/rue', 'Rue', 'Bitter, blue, and not for the kitchen. It keeps the cats away.', '/herbs/'],
  ['/bees', 'Bees', 'Nine hives along the south wall. Please do not stand in front of them.', '/herbs/thyme', '/'],
  ['/pond', 'The pond', 'Newts in March, dragonflies in June.', '/', 'library:/poems/the-newt'],
  [
    '/night',
    'The garden at night',
    'Evening primrose opens at dusk, in less than a minute; then look up.',
    'observatory:/planets/venus',
    '/',
  ],
  ['/map', 'Map of the garden', 'North is where the wall is highest.', '/', '/pond', '/bees', '/lost-bench'],
];

const library: readonly Row[] = [
  [
    '/',
    'The Reading Library',
    'Open shelves on two floors, and a reading room for members.',
    '/catalogue',
    '/poems/',
    '/essays/',
    '/reading-room/private/members',
    'observatory:/',
  ],
  ['/catalogue', 'Catalogue', 'Every book by its place on the shelf.', '/poems/', '/essays/', '/catalogue?page=2'],
  ['/catalogue?page=2', 'Catalogue, second page', 'Still by shelf; the upper floor begins here.', '/catalogue'],
  ['/poems/', 'Poems', 'Three short ones.', '/poems/the-newt', '/poems/clockwork', '/poems/rain', '/'],
  [
    '/poems/the-newt',
    'The newt',
    'A newt beneath a lily pad considered what a good life had: some mud, some rain, a quiet pond, and no one asking what’s beyond.',
    '/poems/',
  ],
  [
    '/poems/clockwork',
    'Clockwork',
    'The clock that gains four minutes nightly is never late and seldom rightly.',
    '/poems/',
    'observatory:/instruments/clock',
  ],
  ['/poems/rain', 'Rain', 'It wrote all day upon the glass and would not say to whom.', '/poems/'],
  ['/essays/', 'Essays', 'On things seen and things not seen.', '/essays/on-canals', '/essays/on-weaving', '/'],
  [
    '/essays/on-canals',
    'On canals that were not there',
    'For thirty years good observers drew lines on Mars. The lines were in the eye.',
    '/essays/',
    'observatory:/planets/mars',
  ],
  [
    '/essays/on-weaving',
    'On weaving',
    'An orb weaver takes its web down every night and eats it, and begins again from the first thread.',
    '/essays/',
    'garden:/bees',
  ],
  [
    '/reading-room/private/members',
    'Members only',
    'Names of members. A crawler has no business here, and robots.txt says so.',
    '/',
  ],
];

const byPath = (rows: readonly Row[]): ReadonlyMap<string, DemoPage> =>
  new Map(rows.map(([path, title, text, ...links]) => [path, { title, text, links }]));

export const demoPages: Readonly<Record<DemoSite, ReadonlyMap<string, DemoPage>>> = {
  observatory: byPath(observatory),
  garden: byPath(garden),
  library: byPath(library),
};

/** Paths that redirect: status and target. */
export const demoRedirects: Readonly<Record<string, string>> = { 'garden:/old-map': '/map' };

/** Milliseconds that a page takes. */
export const demoDelays: Readonly<Record<string, number>> = { 'observatory:/long-exposure': 1_200 };

/** Pages that are not fetched: by a line of robots.txt, and by a rule of the URL filters (the `?`). */
export const whyNot: readonly { readonly site: DemoSite; readonly path: string }[] = [
  { site: 'library', path: '/reading-room/private/members' },
  { site: 'library', path: '/catalogue?page=2' },
];

export const demoRobots: Readonly<Record<DemoSite, string>> = {
  observatory: 'User-agent: *\nAllow: /\n',
  garden: 'User-agent: *\nDisallow: /compost/\n',
  library: '# Members like to be left alone.\nUser-agent: *\nDisallow: /reading-room/private/\n',
};

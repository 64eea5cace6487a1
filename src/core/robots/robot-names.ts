/** The settings by which robots.txt, meta tags and headers address a crawler. */
export interface RobotNamesConf {
  readonly 'http.agent.name': string;
  readonly 'http.robots.agents': readonly string[];
}

/** The names of the crawler in lower case, for the comparison with those of robots.txt, meta tags and headers. */
export const robotNames = (conf: RobotNamesConf): string[] =>
  [conf['http.agent.name'], ...conf['http.robots.agents']]
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '');

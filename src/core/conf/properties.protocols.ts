import { flag, int, list, secret, text } from './property.js';
import { ONE_GIBIBYTE } from './properties.http.js';

const milliseconds = { unit: 'ms' };
const bytes = { unit: 'bytes' };

/** Properties of protocols besides HTTP (Nutch `ftp.*`, `file.*`). */
export const protocolProperties = {
  'file.content.limit': int(1_048_576, 'Bytes kept of a local file. -1: all, up to http.content.limit.cap.', {
    min: -1,
    max: ONE_GIBIBYTE,
    ...bytes,
  }),
  'file.crawl.parent': flag(true, 'A local directory links to its parent too; never one of file.crawl.roots itself.'),
  'file.crawl.redirect_noncanonical': flag(
    true,
    'A local path with symbolic links redirects to the real path. False: it is read under its own name.',
  ),
  'file.crawl.roots': list(
    [],
    'Directories of the machines of the workers, below which alone file: URLs are read: absolute paths without blanks and commas; a symbolic link may lead to a path with blanks. Empty: no file is read. Set by an admin only.',
  ),
  'ftp.content.limit': int(
    1_048_576,
    'Bytes kept of a file fetched by ftp, and read of a listing. -1: all, up to http.content.limit.cap.',
    { min: -1, max: ONE_GIBIBYTE, ...bytes },
  ),
  'ftp.follow.talk': flag(
    false,
    'Log the commands sent to ftp servers and their replies, at level debug. Passwords are masked.',
  ),
  'ftp.password': secret(text('anonymous@example.com', 'Password sent to every ftp server that is crawled.')),
  'ftp.timeout': int(60_000, 'Longest wait for a reply of an ftp server, and between two parts of a file.', {
    min: 1,
    max: 600_000,
    ...milliseconds,
  }),
  'ftp.username': text('anonymous', 'User name sent to every ftp server that is crawled.'),
};

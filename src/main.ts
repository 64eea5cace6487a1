#!/usr/bin/env node
import { nodeComplaint } from './commands/node-version.js';

/** The entry: an old Node gets a clear line before any dependency is loaded that it cannot even parse. */
const complaint = nodeComplaint(process.version);
if (complaint) {
  process.stderr.write(`orbweaver: ${complaint}\n`);
  process.exit(1);
}
const { runCommand } = await import('./commands/command-line.js');
await runCommand(process.argv.slice(2), process.env);

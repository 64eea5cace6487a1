/** Before each spec file: the limits of its tests and hooks, and of `expect.poll`, follow the load of the machine. */
import { vi } from 'vitest';
import { measurePatience } from './patience.js';

const ms = measurePatience();
const limits = { testTimeout: 2 * ms, hookTimeout: 2 * ms, expect: { poll: { timeout: ms } } };
vi.setConfig(limits);

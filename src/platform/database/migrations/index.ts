import { Foundation1700000000000 } from './1700000000000-foundation.js';

/** Every migration, in order. */
export const migrations = [Foundation1700000000000];

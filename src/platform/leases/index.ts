export { HeldLease } from './held-lease.js';
export { type ClaimedAlongside, isFree, LeasedTable } from './leased-table.js';
export { takeDue } from './take-due.js';

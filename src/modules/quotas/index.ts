export { assertWithin, noteUsed, takeTurn } from './account-quotas.js';
export { quotaTables } from './table-rules.js';

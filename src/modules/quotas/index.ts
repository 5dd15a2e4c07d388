export { assertWithin, noteUsed, takeTurn } from './account-quotas.js';
export { addStored, freeStored, ROW_BYTES, storageErrors, storedBytes } from './account-storage.js';
export { quotaTables } from './table-rules.js';

export {
  assertWithin,
  recordUsed,
  lockQuota,
  addStored,
  freeStored,
  ROW_BYTES,
  storageErrors,
  storedBytes,
} from './quotas.store.js';
export { quotaTables } from './tables.js';

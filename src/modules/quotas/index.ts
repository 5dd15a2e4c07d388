export { assertWithin, noteUsed, takeTurn } from './account-quotas.js';

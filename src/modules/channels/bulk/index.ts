export { isBulkBody, NO_BULK_BODY } from './bulk-request.js';
export { BulkModule } from './bulk.module.js';
export { BULK_EXAMPLES, BulkQuoteResponse, BulkBody } from './bulk.dto.js';
export { BULK_QUOTE_ERRORS } from './bulk.errors.js';
export { QuoteBulkQuery } from './bulk.queries.js';

export { isBulkBody, NO_BULK_BODY } from './bulk-request.js';
export { BulkModule } from './bulk.module.js';
export { BULK_EXAMPLES } from './http/bulk-examples.js';
export { BulkQuoteResponse } from './http/bulk-quote.dto.js';
export { BulkBody } from './http/bulk.dto.js';
export { BULK_QUOTE_ERRORS } from './http/documented-errors.js';
export { QuoteBulkQuery } from './queries/quote-bulk.query.js';

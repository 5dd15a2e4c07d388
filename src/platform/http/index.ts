export { AnswerOf, PageOf } from './answers.js';
export { CHARSET_TEXT, type RawBodyRequest, TOO_LARGE_TEXT } from './body.js';
export { configureHttp } from './configure-http.js';
export { INTERNAL_TEXT, isConnectionFault, STATUS_OF } from './error-answer.js';
export {
  ERROR_SCHEMAS,
  ERROR_SHAPE_METADATA,
  errorBody,
  errorSchema,
  ErrorShape,
  type ErrorShapeName,
} from './error-shape.js';
export { API_ERRORS_METADATA, ApiErrors, type ErrorRow } from './error-table.js';
export { METHOD_TEXT } from './error.filter.js';
export {
  OptionalFlag,
  OptionalFlags,
  OptionalIds,
  OptionalRevision,
  OptionalSpeed,
  OptionalText,
  OptionalTexts,
  OptionalToken,
  OptionalWord,
  RequiredAmount,
  RequiredText,
  RequiredWord,
  REVISION_ROWS,
} from './fields.js';
export { fromForm } from './form-body.js';
export { HttpModule } from './http.module.js';
export { MALFORMED_TEXT } from './json-body.js';
export { NoHead } from './no-head.js';
export { streamItems, streamPage } from './json-stream.js';
export { type Page, type Paged, paged, readPage } from './page.js';
export { namingQueryFaults } from './query-faults.js';
export { READER_PATIENCE_MS, streamChunks, streamText, type TextFrame } from './text-stream.js';
export { RouteTable } from './route-table.js';
export { clientIp } from '../security/index.js';

export { AnswerOf, DoneAnswer, ListQuery, PageOf } from './answers.js';
export { Bodies, NO_BODY, type RawBody } from './bodies.js';
export { BodiesModule } from './bodies.module.js';
export { ComparedBody, OwnBody } from './body.guard.js';
export { BodyBudget, type Holding } from './body-budget.js';
export { isCompressed, readBytes } from './body-bytes.js';
export { ANONYMOUS_PACE, brokenOff, inPace, KNOWN_PACE } from './body-pace.js';
export { CsvFile, type CsvRequest, documentCsvFiles, refuseEncoded } from './csv-upload.js';
export { clientAddressReader } from './client-address.js';
export { contactWarnings } from './contact-warnings.js';
export { configureHttp, HSTS } from './configure-http.js';
export { isConnectionFault, STATUS_OF } from './error-answer.js';
export {
  ERROR_SCHEMAS,
  ERROR_SHAPE_METADATA,
  errorBody,
  type ErrorContent,
  errorSchema,
  ErrorShape,
  type ErrorShapeName,
} from './error-shape.js';
export { ExpressServer } from './express-server.js';
export { documentErrors, documentWarnings, errorRows } from './error-document.js';
export { API_ERRORS_METADATA, ApiErrors, ApiErrorsOf, type ErrorRow, rowOf } from './error-table.js';
export {
  MOST_PER_SECOND,
  OptionalFlag,
  OptionalFlags,
  OptionalIds,
  OptionalRevision,
  OptionalCount,
  OptionalSpeed,
  OptionalText,
  OptionalTexts,
  OptionalToken,
  OptionalWord,
  RequiredAmount,
  RequiredText,
  RequiredWord,
  REVISION_ERRORS,
  rule,
  valueErrors,
} from './fields.js';
export { OLD_CREDITS, RowFaultData } from './row-fault.dto.js';
export { AlsoTakes } from './field-warnings.js';
export { type AnswerWarning, ExactAnswer, type Warn, Warnings, WARNINGS_PROPERTY } from './answer-warnings.js';
export { fromForm } from './form-body.js';
export { beginBody, createHttpServer, hasBody } from './http-server.js';
export { HttpModule } from './http.module.js';
export { MadeBy, MakerData } from './made-by.js';
export { NoHead } from './no-head.js';
export { OneOf, withUnions } from './one-of.js';
export { clockWarnings, LocalTime, SCHEDULE_TIME, scheduleWarnings, ZonedTime } from './local-time.js';
export { LargeJson } from './large-json.js';
export { streamItems, streamPage, streamTexts } from './json-stream.js';
export { LIST_ERRORS, type ListKind, type Paged, paged, readListPage, readPage } from './page.js';
export { namingQueryFaults } from './query-faults.js';
export { bodyErrors, protocolErrors, serverErrors, unknownResource } from './request-errors.js';
export { READER_PATIENCE_MS, streamChunks, streamText, type TextFrame } from './text-stream.js';
export { RouteTable } from './route-table.js';
export { requestIdOf } from './request-id.js';
export { clientIp } from '../security/index.js';

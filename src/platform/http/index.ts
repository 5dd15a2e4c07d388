export { AnswerOf, DoneAnswer, ListQuery, PageOf, OLD_CREDITS, RowFaultData, MadeBy, MakerData } from './answers.js';
export { Bodies, NO_BODY, type RawBody, BodiesModule, ComparedBody, OwnBody, LargeJson } from './bodies.js';
export {
  BodyBudget,
  type Holding,
  isCompressed,
  readBytes,
  ANONYMOUS_PACE,
  brokenOff,
  inPace,
  KNOWN_PACE,
} from './body-bytes.js';
export { CsvFile, type CsvRequest, documentCsvFiles, refuseEncoded } from './csv-upload.js';
export { clientAddressReader, configureHttp, HSTS, requestIdOf } from './configure-http.js';
export {
  contactWarnings,
  AlsoTakes,
  type AnswerWarning,
  ExactAnswer,
  TEST_WARNING,
  type Warn,
  warnExact,
  Warnings,
  WARNINGS_PROPERTY,
} from './warnings.js';
export { STATUS_OF, namingQueryFaults } from './error.filter.js';
export {
  ERROR_SCHEMAS,
  ERROR_SHAPE_METADATA,
  errorBody,
  errorSchema,
  ErrorShape,
  type ErrorShapeName,
  NoHead,
} from './route-table.js';
export { ExpressServer, beginBody, createHttpServer, hasBody } from './http-server.js';
export {
  AnswersFirst,
  documentErrors,
  documentWarnings,
  errorRows,
  ApiErrors,
  ApiErrorsOf,
  type ErrorRow,
  rowOf,
} from './error-document.js';
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
  OneOf,
  withUnions,
  clockWarnings,
  LocalTime,
  SCHEDULE_TIME,
  LATE,
  LATE_AFTER,
  scheduleWarnings,
  ZonedTime,
} from './fields.js';
export { fromForm, readXml } from './body-parsing.js';
export { HttpModule } from './http.module.js';
export {
  streamItems,
  streamPage,
  streamTexts,
  READER_PATIENCE_MS,
  streamChunks,
  streamText,
  type TextFrame,
} from './streams.js';
export { LIST_ERRORS, type Paged, paged, readListPage, readPage } from './page.js';
export { bodyErrors, protocolErrors, serverErrors, unknownResource } from './http.errors.js';
export { clientIp } from '../security/index.js';

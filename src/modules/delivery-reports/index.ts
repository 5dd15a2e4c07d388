export { DeliveryReportsModule } from './delivery-reports.module.js';
export { reportErrors } from './delivery-reports.errors.js';
export { fieldsOf, readIdentifier, readSelection } from './http/report-request.js';
export { streamReport } from './http/report-stream.js';
export { type OpenReport, OpenReportQuery } from './queries/open-report.query.js';

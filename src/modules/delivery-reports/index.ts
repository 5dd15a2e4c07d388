export { DeliveryReportsModule } from './delivery-reports.module.js';
export { reportErrors } from './delivery-reports.errors.js';

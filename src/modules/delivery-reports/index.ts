export { DeliveryReportsModule } from './delivery-reports.module.js';

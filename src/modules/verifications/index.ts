export { verificationTables } from './tables.js';
export { VerificationsModule } from './verifications.module.js';

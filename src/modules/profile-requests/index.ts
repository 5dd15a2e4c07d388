export { ProfileRequestsModule } from './profile-requests.module.js';
export { profileRequestTables } from './tables.js';

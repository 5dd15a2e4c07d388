export { ProcessProfileRequestCommand } from './profile-requests.commands.js';
export {
  LONGEST_REASON,
  PROCESSING_STATUSES,
  type ProcessingStatus,
  PROFILE_STATUSES,
  type ProfileStatus,
} from './profile-request.js';
export { ReviewedProfileRequestData } from './profile-requests.dto.js';
export { profileErrors } from './profile-requests.errors.js';
export { ProfileRequestsModule } from './profile-requests.module.js';
export { ReviewProfileRequestsQuery } from './profile-requests.queries.js';
export { profileRequestTables } from './tables.js';

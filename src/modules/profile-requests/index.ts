export { ProcessProfileRequestCommand } from './commands/process-profile-request.command.js';
export {
  LONGEST_REASON,
  PROCESSING_STATUSES,
  type ProcessingStatus,
  PROFILE_STATUSES,
  type ProfileStatus,
} from './domain/profile-request.js';
export { ReviewedProfileRequestData } from './http/profile-request.dto.js';
export { profileErrors } from './profile-requests.errors.js';
export { ProfileRequestsModule } from './profile-requests.module.js';
export { ReviewProfileRequestsQuery } from './queries/review-profile-requests.query.js';
export { profileRequestTables } from './persistence/table-rules.js';

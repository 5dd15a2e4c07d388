export { ProcessProfileRequestCommand } from './commands/process-profile-request.command.js';
export {
  PROCESSING_STATUSES,
  type ProcessingStatus,
  PROFILE_STATUSES,
  type ProfileStatus,
} from './domain/profile-request.js';
export { ProfileRequestData } from './http/profile-request.schema.js';
export { profileErrors } from './profile-requests.errors.js';
export { ProfileRequestsModule } from './profile-requests.module.js';
export type { ReviewedProfileRequest } from './queries/profile-request.view.js';
export { ReviewProfileRequestsQuery } from './queries/review-profile-requests.query.js';

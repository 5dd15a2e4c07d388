import { Command } from '@nestjs/cqrs';
import type { ProfileContent, ProfileRequest } from '../domain/profile-request.js';

/**
 * Asks for a display name to be verified. An identical pending request stands for the new one (spec 3.2), also when many
 * come at once.
 * @throws AppError invalid `At most <PROFILE_REQUESTS_PER_ACCOUNT> profile requests are allowed`
 */
export class CreateProfileRequestCommand extends Command<{ request: ProfileRequest; duplicate: boolean }> {
  constructor(
    readonly accountId: number,
    readonly content: ProfileContent,
  ) {
    super();
  }
}

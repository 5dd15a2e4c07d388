import { Command } from '@nestjs/cqrs';
import type { ChatConnection } from '../../providers/index.js';

/**
 * Replaces the profile's photo at the provider in its three steps; answers what the provider said to the last one.
 * Safe to repeat.
 * @throws AppError the rows of spec 7 "Business profile" in their order, then those of the file; the provider's own
 * text of the step that failed
 */
export class ChangeProfilePhotoCommand extends Command<Record<string, unknown>> {
  /** @param file the bytes as they were uploaded; null = none came */
  constructor(
    readonly accountId: number,
    readonly connection: ChatConnection,
    readonly file: Buffer | null,
  ) {
    super();
  }
}

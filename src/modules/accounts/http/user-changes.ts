import { readId } from '../../../kernel/ids.js';
import { textOrNull } from '../../../kernel/text.js';
import type { AssignedUserChanges } from '../commands/change-assigned-user.command.js';
import { accountErrors } from '../domain/account.errors.js';
import type { ChangeUserRequest } from './user.dto.js';

/** The id in a path. @throws AppError not_found for what is none */
export function userId(text: string): number {
  const id = readId(text);
  if (id === null) throw accountErrors.userNotFound();
  return id;
}

/** Absent and null keep; only the e-mail is cleared by null or ''. */
export function changesOf(body: ChangeUserRequest): AssignedUserChanges {
  const [firstname, lastname, password] = [body.firstname, body.lastname, body.password].map(textOrNull);
  return {
    ...(firstname ? { firstname } : {}),
    ...(lastname ? { lastname } : {}),
    ...(body.email === undefined ? {} : { email: textOrNull(body.email) }),
    ...(typeof body.is_active === 'boolean' ? { isActive: body.is_active } : {}),
    ...(password ? { password } : {}),
  };
}

import type { Request } from 'express';
import type { DocumentedError } from '../../../kernel/define-error.js';
import { fieldErrors } from '../../../kernel/field-errors.js';
import { textOrNull } from '../../../kernel/text.js';
import { clientIp, tooMany } from '../../../platform/security/index.js';
import type { PasswordProof } from '../authentication/credentials.js';
import { accountErrors } from '../domain/account.errors.js';

/** The field as Swagger shows it on the routes of the own account. */
export const CURRENT_PASSWORD = {
  example: 'Sunny-Day-7',
  description: 'The own password of the owner; only of an account of staff (super, admin, reseller)',
};

/** The proof that a request carries: `current_password` of its body, and the address it came from. */
export const proofOf = (body: { current_password?: string | null } | undefined, request: Request): PasswordProof => ({
  currentPassword: textOrNull(body?.current_password),
  ip: clientIp(request),
});

/** The errors of a proof. @param when it must be given */
export const proofErrors = (when: string): readonly DocumentedError[] => [
  fieldErrors.required.shown('current_password').because(`missing ${when}`),
  accountErrors.invalidCredentials.because('current_password is another'),
  tooMany.because('too many wrong passwords'),
];

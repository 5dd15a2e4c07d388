import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { RouteRules } from '../../../platform/security/index.js';
import { accountErrors } from '../domain/account.errors.js';
import type { AuthenticatedRequest } from './actor.js';
import { ADMIN_METADATA, type AdminRules } from './rules.js';

/** Lets staff alone pass where a route is theirs; global, the second of three. The role comes from the database (through the directory), never from the token. */
@Injectable()
export class AdminGuard implements CanActivate {
  private readonly rules = new RouteRules<AdminRules>(ADMIN_METADATA);

  canActivate(context: ExecutionContext): boolean {
    const rules = this.rules.of(context);
    if (!rules) return true;
    const userType = context.switchToHttp().getRequest<AuthenticatedRequest>().actor?.account.userType;
    const allowed =
      userType === 'super' ||
      (!rules.superOnly && (userType === 'admin' || (rules.resellers && userType === 'reseller')));
    if (!allowed) throw accountErrors.forbidden();
    return true;
  }
}

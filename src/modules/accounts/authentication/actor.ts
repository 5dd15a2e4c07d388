import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { Account } from '../domain/account.js';

/** Who acts in a request, and by which proof. */
export interface Actor {
  account: Account;
  via: 'header' | 'cookie' | 'key' | 'body';
}

/** A token or an API key as it came. */
export interface PresentedToken {
  token: string;
  via: 'header' | 'cookie' | 'key';
}

/** A request on its way through authentication. */
export interface AuthenticatedRequest extends Request {
  /** set by `AuthenticationGuard`; limits and logs read the username from it */
  actor?: Actor;
  presentedToken?: PresentedToken;
}

/** The acting account of the request: `@CurrentActor() actor: Actor`. Only on `@Authenticated` and `@Admin` routes. */
export const CurrentActor = createParamDecorator((_: unknown, context: ExecutionContext): Actor => {
  const { actor } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (!actor) throw new Error('CurrentActor on a route without @Authenticated or @Admin');
  return actor;
});

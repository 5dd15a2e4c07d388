import { type CanActivate, type ExecutionContext, Injectable, SetMetadata, type Type } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { type MeteredRequest, RouteRules } from '../security/index.js';
import { Bodies } from './bodies.js';

const OWN_BODY_METADATA = 'switchboard:own-body';

/** The route reads its body by itself, when the caller has proved something that no guard knows of. */
export const OwnBody = (): MethodDecorator => SetMetadata(OWN_BODY_METADATA, true);

const COMPARED_BODY_METADATA = 'switchboard:compared-body';

/** The body of the route is read also where no parameter takes it: requests are compared by it. */
export const ComparedBody = (): MethodDecorator => SetMetadata(COMPARED_BODY_METADATA, true);

/** The place of the parameter with `@Body()`; null = the handler has none. */
export function bodyParameter(controller: Type, handler: object): number | null {
  const { name } = handler as { name: string };
  const args = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {}) as Record<string, { index: number }>;
  const [, body] = Object.entries(args).find(([key]) => key.startsWith(`${RouteParamtypes.BODY}:`)) ?? [];
  return body?.index ?? null;
}

/**
 * Reads the body of a request whose caller may send it: the last of the guards that can refuse one, so that nothing is read of a
 * path that is unknown or takes no body, of a caller without a right, or of one beyond a limit.
 */
@Injectable()
export class BodyGuard implements CanActivate {
  private readonly own = new RouteRules<true>(OWN_BODY_METADATA);
  private readonly compared = new RouteRules<true>(COMPARED_BODY_METADATA);
  private readonly taking = new WeakMap<object, boolean>();

  constructor(private readonly bodies: Bodies) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<MeteredRequest>();
    if (request.body !== undefined) return true; // it says who acts
    if (!this.takesBody(context)) {
      request.body = {};
      return true;
    }
    return this.bodies.read(request, request.actor?.account.username ?? null).then(() => true);
  }

  private takesBody(context: ExecutionContext): boolean {
    const handler = context.getHandler();
    let takes = this.taking.get(handler);
    if (takes === undefined) {
      const isWanted = bodyParameter(context.getClass(), handler) !== null || this.compared.of(context) === true;
      takes = isWanted && this.own.of(context) === undefined;
      this.taking.set(handler, takes);
    }
    return takes;
  }
}

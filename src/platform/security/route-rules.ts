import type { ExecutionContext, Type } from '@nestjs/common';

/**
 * What decorators have said of a route under one key: of its handler, else of its controller. It never changes, and each
 * request asks for several, so it is looked up once a route.
 */
export class RouteRules<Rule> {
  private readonly known = new WeakMap<Type, Map<object, Rule | undefined>>();

  constructor(private readonly key: string) {}

  of(context: ExecutionContext): Rule | undefined {
    const [controller, handler] = [context.getClass(), context.getHandler()];
    const rules = this.known.get(controller) ?? new Map<object, Rule | undefined>();
    if (!this.known.has(controller)) this.known.set(controller, rules);
    if (!rules.has(handler)) {
      const said: unknown = Reflect.getMetadata(this.key, handler) ?? Reflect.getMetadata(this.key, controller);
      rules.set(handler, said as Rule | undefined);
    }
    return rules.get(handler);
  }
}

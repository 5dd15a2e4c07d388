import 'reflect-metadata';
import type { ExecutionContext, Type } from '@nestjs/common';
import { describe, expect, it } from 'vitest';
import { RouteRules } from './rate-limits.js';

const KEY = 'test:rule';

const own = (): void => undefined;
const other = (): void => undefined;
class Plain {
  readonly kind: string = 'plain';
}
class Strict extends Plain {
  override readonly kind = 'strict';
}
Reflect.defineMetadata(KEY, 'own', own);
Reflect.defineMetadata(KEY, 'strict', Strict);

const route = (controller: Type, handler: () => void): ExecutionContext =>
  ({ getClass: () => controller, getHandler: () => handler }) as unknown as ExecutionContext;

describe('RouteRules', () => {
  const rules = new RouteRules<string>(KEY);

  it.each(['first', 'again'])('takes what the handler says before what its controller says: %s', () => {
    expect(rules.of(route(Strict, own))).toBe('own');
    expect(rules.of(route(Strict, other))).toBe('strict');
  });

  it('knows the controllers apart that share a handler', () => {
    expect(rules.of(route(Plain, other))).toBeUndefined();
    expect(rules.of(route(Strict, other))).toBe('strict');
  });

  it('looks a route up once, also one of which nothing is said', () => {
    expect(rules.of(route(Plain, other))).toBeUndefined();
    Reflect.defineMetadata(KEY, 'late', Plain);
    expect(rules.of(route(Plain, other))).toBeUndefined();
  });
});

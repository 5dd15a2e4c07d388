/** Injection token of the front's environment, which is not that of a cell. */
export const FRONT_ENVIRONMENT = Symbol('FRONT_ENVIRONMENT');

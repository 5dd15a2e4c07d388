import { describe, expect, it } from 'vitest';
import { CUSTOMER_EVENT_TYPES } from '../event-types.js';
import { exampleOf, TYPES_WITH_EXAMPLE } from './event-examples.js';

describe('examples of events', () => {
  it('are there for every type', () => {
    expect(TYPES_WITH_EXAMPLE).toEqual(expect.arrayContaining([...CUSTOMER_EVENT_TYPES]));
  });

  it.each(CUSTOMER_EVENT_TYPES)('name their type: %s', (type) => {
    expect(exampleOf(type)).toMatchObject({ event: type });
  });
});

import { describe, expect, it } from 'vitest';

interface Module {
  faultAtField: (message: string) => string;
  faultWithLabel: (message: string, labels: Record<string, string>) => string;
}

// a path that the compiler does not follow: pages are typed by a project of their own
const path: string = '../src/ui/fault-words.js';
const { faultAtField, faultWithLabel } = (await import(/* @vite-ignore */ path)) as Module;

describe('a refusal of the API', () => {
  it.each([
    ['reply is required', 'Required'],
    ['countries is invalid', 'Not valid'],
    ['time_zone was set by staff', 'Set by staff: ask them to change it'],
    ['number has fewer than 8 digits', 'Has fewer than 8 digits'],
    ['events must be a non-empty array', 'Choose or enter at least one'],
    ['config.password is required with a new address', 'Required with a new address'],
    ['messages_per_second must be a whole number from 1 to 1000000', 'Must be a whole number from 1 to 1000000'],
    ['allowed_ips[0] is not an IP address or range', 'Entry 1 is not an IP address or range'],
    ['Password must be at most 72 bytes', 'Password must be at most 72 bytes'],
    ['Invalid credentials', 'Invalid credentials'],
  ])('%s → %s', (message, text) => expect(faultAtField(message)).toBe(text));

  it('has the label of the field away from it', () => {
    const labels = { contacts: 'Numbers', schedule_time: 'Send at' };
    expect(faultWithLabel('contacts must be a non-empty array', labels)).toBe('Numbers: must be a non-empty array');
    expect(faultWithLabel('contacts[2] is invalid', labels)).toBe('Numbers, entry 3: is invalid');
    expect(faultWithLabel('other is invalid', labels)).toBe('other is invalid');
  });
});

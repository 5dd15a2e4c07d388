/** What `npm test -- --without` leaves out: tests that need a program which the caller does not want to have installed. */
const LEFT_OUT = (process.env['TESTS_WITHOUT'] ?? '').split(',');

export const isLeftOut = (part: 'chart' | 'observability' | 'kannel'): boolean => LEFT_OUT.includes(part);

import { describe, expect, it } from 'vitest';
import { NO_TRACING, readTraceParent } from './tracing.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

describe('readTraceParent', () => {
  it('reads what the W3C says, and nothing else', () => {
    expect(readTraceParent(`00-${TRACE}-${SPAN}-01`)).toEqual({ traceId: TRACE, spanId: SPAN, flags: 1 });
    const others = [
      undefined,
      ['x'],
      '',
      `01-${TRACE}-${SPAN}-01`,
      `00-${TRACE.toUpperCase()}-${SPAN}-01`,
      `00-${'0'.repeat(32)}-${SPAN}-01`,
      `00-${TRACE}-${'0'.repeat(16)}-01`,
      `00-${TRACE}-${SPAN}-01-x`,
    ];
    for (const text of others) expect(readTraceParent(text), String(text)).toBeNull();
  });
});

describe('without an endpoint', () => {
  it('work runs, and nothing is recorded', () => {
    const span = NO_TRACING.start('x');
    expect([NO_TRACING.within(span, () => 7), span.traceParent, NO_TRACING.current()]).toEqual([7, null, null]);
  });
});

import { describe, expect, it } from 'vitest';
import { deviceOf } from './device.js';

describe('the device of a login', () => {
  it.each([
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36',
      'Chrome 130 on Windows',
    ],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0', 'Firefox 131 on Linux'],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15',
      'Safari 18 on macOS',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36 Edg/130.0.1',
      'Edge 130 on Windows',
    ],
    ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_0) something', 'Browser on iOS'],
    ['curl/8.5.0', 'curl 8.5.0'],
    ['node', 'node'],
    ['', 'Unknown'],
    [undefined, 'Unknown'],
    ['<script>alert(1)</script>', 'Unknown'],
    [`a${'b'.repeat(5_000)}/1`, `a${'b'.repeat(31)}`],
  ])('%s is %s', (userAgent, device) => {
    expect(deviceOf(userAgent)).toBe(device);
  });
});

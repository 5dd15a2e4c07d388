/** What the rest is measured against. */
export default {
  name: 'none',
  shown: 'nothing strikes',
  strict: true,
  strike: async () => undefined,
};

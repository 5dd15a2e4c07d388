const all = ({ customers }) => Object.values(customers);

/** A mood of three of the five customers' servers. */
const mood = (name) => async (scene, seed) => {
  for (const customer of seed.shuffle(all(scene)).slice(0, 3)) customer.mood = name;
  return () => all(scene).forEach((customer) => customer.calm());
};

export default [
  {
    name: 'customer-hanging',
    shown: "customers' servers take webhooks and never answer",
    holdMs: [2_500, 3_500],
    strike: mood('hanging'),
  },
  {
    name: 'customer-failing',
    shown: "customers' servers answer 500",
    strike: mood('failing'),
  },
  {
    name: 'customer-gone',
    shown: "customers' servers take no connections",
    strike: async (scene, seed) => {
      const gone = seed.shuffle(all(scene)).slice(0, 3);
      await Promise.all(gone.map(({ way }) => way.refuse()));
      return () => Promise.all(gone.map(({ way }) => way.heal()));
    },
  },
];

// Shows of the list of pages what has the words of the filter in its title or address.
const list = document.getElementById('pages');
const field = list.querySelector('input');
const none = list.querySelector('.none');
list.querySelector('.filter').hidden = false;

field.addEventListener('input', () => {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const section of list.querySelectorAll('section')) {
    let here = 0;
    for (const item of section.querySelectorAll('li')) {
      const link = item.querySelector('a');
      const text = `${link.textContent} ${link.getAttribute('href')}`.toLowerCase();
      item.hidden = !words.every((word) => text.includes(word));
      if (!item.hidden) here += 1;
    }
    section.hidden = here === 0;
    shown += here;
  }
  none.hidden = shown > 0;
});

field.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter') return;
  const first = [...list.querySelectorAll('li:not([hidden]) a')][0];
  if (first && field.value.trim() !== '') location.assign(first.href);
});

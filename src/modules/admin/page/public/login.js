import { BASE, logIn } from './api.js';

const form = document.getElementById('login');
const fault = document.getElementById('fault');

if (location.hash === '#ended') say('Your session has ended. Please log in again.');

function say(text) {
  fault.textContent = text;
  fault.hidden = false;
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const button = form.querySelector('button');
  const { name, password } = form.elements;
  button.disabled = true;
  fault.hidden = true;
  try {
    await logIn(name.value, password.value);
    location.replace(`${BASE}/admin`);
  } catch (error) {
    say(error.message);
    password.select();
  } finally {
    button.disabled = false;
  }
});

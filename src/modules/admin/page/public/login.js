import { logIn } from './api.js';

const form = document.getElementById('login');
const fault = document.getElementById('fault');

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const button = form.querySelector('button');
  const { name, password } = form.elements;
  button.disabled = true;
  fault.hidden = true;
  try {
    await logIn(name.value, password.value);
    location.replace('/admin');
  } catch (error) {
    fault.textContent = error.message;
    fault.hidden = false;
    password.select();
  } finally {
    button.disabled = false;
  }
});

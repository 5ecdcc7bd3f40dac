// Run in a page that shows the page under test in frames of several widths: leaves what is wrong in #result.
'use strict';
const wrong = [];
const check = (what, is) => { if (!is) wrong.push(what); };
const luminance = (color) => {
  const parts = color.match(/[\d.]+/g).slice(0, 3).map((part) => {
    const share = part / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
};
const contrast = (a, b) => {
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
};
const overlaps = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;

const checkFrame = (frame, width, is) => {
  const view = frame.contentWindow, page = frame.contentDocument, root = page.documentElement;
  const name = width + ' px: ';
  check(name + 'the page is wider than its window by ' + (root.scrollWidth - width), root.scrollWidth <= width);
  const background = view.getComputedStyle(page.body).backgroundColor;
  check(name + 'the background is ' + background, (is.dark === 'yes') === (luminance(background) < 0.2));
  const figures = [...page.querySelectorAll('figure')];
  check(name + 'there is no figure', figures.length > 0);
  const ids = [...page.querySelectorAll('[id]')].map((element) => element.id);
  check(name + 'an id occurs twice', new Set(ids).size === ids.length);
  const levels = [...page.querySelectorAll('h1,h2,h3')].map((head) => Number(head.tagName[1]));
  check(name + 'headings skip a level', levels[0] === 1 && levels.every((level, i) => i === 0 || level <= levels[i - 1] + 1));
  for (const figure of figures) {
    const title = name + figure.querySelector('h3').textContent + ': ';
    const plot = figure.querySelector('.plot'), svg = plot.querySelector('svg'), box = svg.getBoundingClientRect();
    check(title + 'the plot is small', box.width >= 150 && box.height >= 15);
    const points = [...svg.querySelectorAll('.pt')];
    check(title + 'there is no value', points.length > 0);
    for (const point of points) {
      const shape = point.querySelector('use, rect').getBoundingClientRect();
      check(title + 'a value has no text', (is.script === 'yes' ? point.dataset.text : point.querySelector('title').textContent) !== '');
      check(title + 'a value is outside of the plot: ' + point.dataset.text,
        shape.right >= box.left - 8 && shape.left <= box.right + 8 && shape.top >= box.top - 8 && shape.bottom <= box.bottom + 8);
    }
    const ticks = [...svg.querySelectorAll('.tick')].filter((tick) => view.getComputedStyle(tick).display !== 'none');
    check(title + 'there are no ticks', ticks.length > 1);
    ticks.forEach((tick, i) => {
      const of = tick.getBoundingClientRect();
      check(title + 'a label leaves the page: ' + tick.textContent, of.left >= -1 && of.right <= width + 1);
      for (const other of ticks.slice(i + 1)) {
        check(title + 'labels overlap: ' + tick.textContent + ' and ' + other.textContent,
          !overlaps(of, other.getBoundingClientRect()));
      }
      check(title + 'a label is small', parseFloat(view.getComputedStyle(tick).fontSize) >= 11);
      check(title + 'a label has little contrast', contrast(view.getComputedStyle(tick).fill, background) >= 4.5);
    });
    for (const run of svg.querySelectorAll('.run, .mark:not(.paper)')) {
      const style = view.getComputedStyle(run);
      const color = run.matches('.run') ? style.stroke : style.fill;
      check(title + 'a series has little contrast: ' + color, contrast(color, background) >= 3);
    }
    const table = figure.querySelector('table');
    check(title + 'the table is empty', table.querySelectorAll('tbody tr').length > 0);
    const heads = table.querySelectorAll('thead th').length;
    for (const row of table.rows) check(title + 'a row has not as many cells as the head', row.cells.length === heads);
    check(title + 'a head has no scope', [...table.querySelectorAll('th')].every((head) => head.scope !== ''));
    if (is.script !== 'yes') continue;
    check(title + 'the plot has no label', plot.tabIndex === 0 && plot.getAttribute('aria-label') !== '');
    checkKeys(title, figure, plot, points, view);
    checkLegend(title, figure, svg);
  }
};

const press = (plot, view, key) => plot.dispatchEvent(new view.KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));

const checkKeys = (title, figure, plot, points, view) => {
  const tip = plot.querySelector('.tip'), live = plot.querySelector('[aria-live]');
  const shows = (i) => !tip.classList.contains('hidden') && tip.textContent === points[i].dataset.text &&
    live.textContent === points[i].dataset.text && points[i].classList.contains('on');
  plot.focus();
  press(plot, view, 'ArrowRight');
  check(title + 'an arrow does not show the first value', shows(0));
  press(plot, view, 'End');
  check(title + 'End does not show the last value', shows(points.length - 1));
  const width = view.document.documentElement;
  check(title + 'a value makes the page wider', width.scrollWidth <= width.clientWidth);
  press(plot, view, 'Escape');
  check(title + 'Escape does not hide the value', tip.classList.contains('hidden'));
  press(plot, view, 'Enter');
  check(title + 'Enter does not go to the table', view.document.activeElement === figure.querySelector('.scroll'));
};

const checkLegend = (title, figure, svg) => {
  const buttons = [...figure.querySelectorAll('.legend button')];
  buttons.forEach((button, i) => {
    check(title + 'a legend has no name', button.textContent.trim() !== '');
    const parts = svg.querySelectorAll('[data-s="' + i + '"]');
    button.click();
    check(title + 'a legend does not hide its series',
      button.getAttribute('aria-pressed') === 'false' && [...parts].every((part) => part.classList.contains('hidden')));
    button.click();
    check(title + 'a legend does not show its series again', [...parts].every((part) => !part.classList.contains('hidden')));
  });
};

const report = () => {
  for (const frame of document.querySelectorAll('iframe')) {
    try {
      check('errors: ' + frame.contentWindow.scriptErrors, frame.contentWindow.scriptErrors.length === 0);
      checkFrame(frame, Number(frame.width), document.body.dataset);
    } catch (error) {
      wrong.push('the check of ' + frame.width + ' px ended: ' + error.stack);
    }
  }
  document.getElementById('result').textContent = 'done: ' + wrong.length + '\n' + wrong.slice(0, 40).join('\n');
};
window.addEventListener('load', report);

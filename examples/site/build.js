// Turns pages/*.md into dist/*.html: headings, paragraphs, nothing else.
const fs = require('fs');
const path = require('path');

const escaped = text => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
const block = text => text.startsWith('# ') ? `<h1>${escaped(text.slice(2))}</h1>` : `<p>${escaped(text)}</p>`;

fs.mkdirSync('dist', { recursive: true });
for (const name of fs.readdirSync('pages').sort()) {
  const blocks = fs.readFileSync(path.join('pages', name), 'utf8').trim().split(/\n\s*\n/);
  const page = `<!doctype html>\n<meta charset="utf-8">\n${blocks.map(block).join('\n')}\n`;
  fs.writeFileSync(path.join('dist', name.replace(/\.md$/, '.html')), page);
  console.log(`${name}: ${blocks.length} blocks`);
}

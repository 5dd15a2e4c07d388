import { describe, expect, it } from 'vitest';
import { renderMarkdown } from './rendering.js';

const render = (text: string): string =>
  renderMarkdown(text, (href) => (href === 'gone.md' ? null : `/x/${href}`)).html;

describe('renderMarkdown', () => {
  it('takes the title from the first heading', () => {
    expect(renderMarkdown('<!-- made\nby hand -->\n# The `guide`\n\nText', () => null)).toEqual({
      title: 'The guide',
      html: '<h1 id="the-guide">The <code>guide</code></h1>\n<p>Text</p>\n',
    });
    expect(renderMarkdown('Text', () => null).title).toBe('Guide');
  });

  it('gives headings the anchors that links of the pages know', () => {
    expect(render('## `voice/send`\n## One, two\n## One, two\n### insufficient_credits')).toMatch(
      /id="voicesend"[^]*id="one-two"[^]*id="one-two-1"[^]*id="insufficient_credits"/,
    );
  });

  it('lets no HTML, script or picture through', () => {
    const html = render('<img src=x onerror=alert(1)>\n\n![a](b.png) <b>c</b>\n\n[d](javascript:alert(1))');
    expect(html).not.toMatch(/<img|<b>|href="javascript/);
    expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;');
  });

  it('rewrites links, and leaves the text of those that lead nowhere', () => {
    expect(render('[a](b.md#c) [d](gone.md) [e](f)')).toBe('<p><a href="/x/b.md#c">a</a> d <a href="/x/f">e</a></p>\n');
  });

  it('puts tables and code in boxes, without inline styles', () => {
    const html = render('| a | b |\n| --- | ---: |\n| 1 | 2 |\n\n```sh\ncurl x\n```\n');
    expect(html).toContain('<div class="wide" role="group" aria-label="Table" tabindex="0"><table>');
    expect(html).toContain('<td class="right">2</td>');
    expect(html).toContain('<pre tabindex="0"><code class="language-sh">curl x');
    expect(html).not.toContain('style=');
  });
});

import MarkdownIt from 'markdown-it';

const HEADING_MAX = 6;

/**
 * Texts of users and administrators. HTML in them is shown as it is written. Images are left as links: a page loads no images but those
 * of listings.
 * @param links the addresses that links may have.
 */
const rendererOf = (links: RegExp) => {
  const markdown = new MarkdownIt({ html: false, linkify: true, typographer: false }).disable('image');
  markdown.validateLink = (url) => links.test(url.trim());

  // Headings of a text stand below those of the page, and leave out no level.
  markdown.core.ruler.push('heading-levels', ({ tokens, env }) => {
    const headings = tokens.filter(({ type }) => type === 'heading_open' || type === 'heading_close');
    const shallowest = Math.min(...headings.map(({ tag }) => Number(tag.slice(1))));
    const above = Number(env?.above);
    let previous = above;
    for (const token of headings) {
      if (token.type === 'heading_open') {
        const wanted = above + 1 + Number(token.tag.slice(1)) - shallowest;
        previous = Math.min(wanted, previous + 1, HEADING_MAX);
      }
      token.tag = `h${previous}`;
    }
  });

  markdown.renderer.rules.link_open = (tokens, index, options, env, self) => {
    tokens[index]?.attrSet('rel', String(env?.rel));
    return self.renderToken(tokens, index, options);
  };
  return markdown;
};

/** Addresses that a visitor can open; relative ones would lead into the directory. */
const ofUsers = rendererOf(/^(?:https?:|mailto:)/i);
/** Those, and paths of the directory itself. */
const ofAdministrators = rendererOf(/^(?:https?:|mailto:|\/(?!\/))/i);

/**
 * HTML of a Markdown text of a user.
 * @param rel of its links.
 * @param above the level of the heading that the text stands below.
 */
export const htmlOf = (text: string, rel: string, above: 1 | 2): string => ofUsers.render(text, { rel, above });

/** HTML of a Markdown text of the administrators, below the title of a page. */
export const ownHtmlOf = (text: string): string => ofAdministrators.render(text, { rel: 'noopener', above: 1 });

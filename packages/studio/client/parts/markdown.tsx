import { compiler } from 'markdown-to-jsx/react'
import { memo, type ReactNode } from 'react'

/** Heading of a Markdown text. Always has the level 4, because the page uses higher levels, and has no `id`. */
function Heading({ children }: { readonly children?: ReactNode }) {
  return <h4>{children}</h4>
}

const HEADINGS = Object.fromEntries(['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((name) => [name, { component: Heading }]))

/** Link to another site. Shows links with other protocols and relative links as text. */
function Link({ href = '', children }: { readonly href?: string; readonly children?: ReactNode }) {
  if (!/^(https?|mailto):/i.test(href)) return <>{children}</>
  return (
    <a className="link" href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  )
}

/** Link to an image. Does not show the image, because the page loads nothing from other hosts. */
function Image({ src, alt = '' }: { readonly src?: string; readonly alt?: string }) {
  return <Link href={src}>{alt === '' ? src : alt}</Link>
}

/** Checkbox in a Markdown task list. */
function Box({ checked = false }: { readonly checked?: boolean }) {
  return checked ? '☑' : '☐'
}

/** Table of a Markdown text. A wide table scrolls separately from the page. */
function Table({ children }: { readonly children?: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: people scroll the table with the keyboard.
    <section className="markdown-table" tabIndex={0} aria-label="Table">
      <table>{children}</table>
    </section>
  )
}

/** Text of a model, rendered as Markdown. Shows HTML tags in the text as text. */
export const Markdown = memo(function Markdown({ text }: { readonly text: string }) {
  return compiler(text, {
    disableParsingRawHTML: true,
    forceBlock: true,
    // The prefix prevents that a footnote and an element of the page have the same id.
    slugify: (text) => `answer-${text}`,
    wrapper: 'div',
    wrapperProps: { className: 'markdown' } as object,
    forceWrapper: true,
    overrides: {
      ...HEADINGS,
      ...{ a: { component: Link }, img: { component: Image }, table: { component: Table }, input: { component: Box } },
    },
  })
})

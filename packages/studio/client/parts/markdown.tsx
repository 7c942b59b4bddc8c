import { compiler } from 'markdown-to-jsx/react'
import { memo, type ReactNode } from 'react'

/** Heading below those of the page, without the id that could be that of an element of the page. */
function Heading({ children }: { readonly children?: ReactNode }) {
  return <h4>{children}</h4>
}

const HEADINGS = Object.fromEntries(['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((name) => [name, { component: Heading }]))

/** Link to another site. Links with other protocols, also relative ones, are text. */
function Link({ href = '', children }: { readonly href?: string; readonly children?: ReactNode }) {
  if (!/^(https?|mailto):/i.test(href)) return <>{children}</>
  return (
    <a className="link" href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  )
}

/** Address of an image as a link: the page loads nothing from other hosts. */
function Image({ src, alt = '' }: { readonly src?: string; readonly alt?: string }) {
  return <Link href={src}>{alt === '' ? src : alt}</Link>
}

/** Box of a task list. */
function Box({ checked = false }: { readonly checked?: boolean }) {
  return checked ? '☑' : '☐'
}

/** Scrolls on its own if it is wide. */
function Table({ children }: { readonly children?: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: people scroll the table with the keyboard.
    <section className="markdown-table" tabIndex={0} aria-label="Table">
      <table>{children}</table>
    </section>
  )
}

/** Text of a model as Markdown. HTML in the text is shown as text. */
export const Markdown = memo(function Markdown({ text }: { readonly text: string }) {
  return compiler(text, {
    disableParsingRawHTML: true,
    forceBlock: true,
    // The id of a footnote could be that of an element of the page.
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

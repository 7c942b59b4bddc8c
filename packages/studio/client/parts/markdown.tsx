import { compiler } from 'markdown-to-jsx/react'
import { createContext, memo, type ReactNode, useContext } from 'react'
import { Boundary } from './common.js'

/** Heading of a Markdown text, always with the level 4 and without an `id`. The page itself uses the levels 1 to 3. */
function Heading({ children }: { readonly children?: ReactNode }) {
  return <h4>{children}</h4>
}

const HEADINGS = Object.fromEntries(['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((name) => [name, { component: Heading }]))

/** True inside a link, because links cannot be nested. */
const IsInLink = createContext(false)

/** Link to a different site (`http:`, `https:` or `mailto:`). Shows any other link, or a link inside a link, as text. */
function Link({ href = '', children }: { readonly href?: string; readonly children?: ReactNode }) {
  if (useContext(IsInLink) || !/^(https?|mailto):/i.test(href)) return <>{children}</>
  return (
    <a className="link" href={href} target="_blank" rel="noopener noreferrer">
      <IsInLink.Provider value={true}>{children}</IsInLink.Provider>
    </a>
  )
}

/** Code of a Markdown text, without the attributes that a fenced code block can declare. */
function CodeText({ children }: { readonly children?: ReactNode }) {
  return <code>{children}</code>
}

function CodeBlock({ children }: { readonly children?: ReactNode }) {
  return <pre>{children}</pre>
}

/** Link to an image. Does not show the image, because the page loads nothing from other hosts. */
function Image({ src, alt = '' }: { readonly src?: string; readonly alt?: string }) {
  return <Link href={src}>{alt === '' ? src : alt}</Link>
}

function Box({ checked = false }: { readonly checked?: boolean }) {
  return checked ? '☑' : '☐'
}

function Table({ children }: { readonly children?: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: people scroll the table with the keyboard.
    <section className="markdown-table" tabIndex={0} aria-label="Table">
      <table>{children}</table>
    </section>
  )
}

/** Maximum length of a Markdown text, in characters. Longer texts stay plain, because the parser needs quadratic time for some texts. */
const MAX_LENGTH = 20_000

/** Text of a model, rendered as Markdown. Shows HTML tags as plain text. If React cannot render the text, shows the text without formatting. */
export const Markdown = memo(function Markdown({ text }: { readonly text: string }) {
  const plain = <p className="plain-text">{text}</p>
  if (text.length > MAX_LENGTH) return plain
  return (
    <Boundary key={text} fallback={plain}>
      <Parsed text={text} />
    </Boundary>
  )
})

function Parsed({ text }: { readonly text: string }) {
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
      ...{ code: { component: CodeText }, pre: { component: CodeBlock } },
    },
  })
}

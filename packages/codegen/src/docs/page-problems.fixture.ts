const voidTags = ['meta', 'br', 'input', '!doctype']
const allowedAttributes = /^(charset|name|content|http-equiv|lang|id|class|href|scope|tabindex|role|aria-label|html)$/

export function pageProblems(html: string): readonly string[] {
  const problems: string[] = []
  const open: string[] = []
  const ids: string[] = []
  const links: string[] = []
  const text = html
    .replace(/<!--[\s\S]*?-->/, '')
    .replace(/<(style|script)>[\s\S]*?<\/\1>/g, (_, tag: string) => `<${tag}></${tag}>`)
  if (/<script>/g.exec(text.replace(/<script><\/script>/, '')) !== null) problems.push('a second script')
  for (const [, closing, tag = '', attributes = ''] of text.matchAll(/<(\/?)([!\w]+)((?:\s[^<>]*)?)>/g)) {
    for (const [, name = '', value = ''] of attributes.matchAll(/([\w-]+)(?:="([^"]*)")?/g)) {
      if (!allowedAttributes.test(name)) problems.push(`attribute ${name} of ${tag}`)
      if (name === 'id') ids.push(value)
      if (name === 'href') links.push(value)
    }
    if (closing === '/' && open.pop() !== tag) problems.push(`</${tag}> closes another tag`)
    if (closing === '' && !voidTags.includes(tag)) open.push(tag)
  }
  if (/[<>]/.test(text.replace(/<\/?[!\w]+(?:\s[^<>]*)?>/g, ''))) problems.push('a bracket outside a tag')
  const nowhere = links.filter((link) => !link.startsWith('#') || !ids.includes(link.slice(1)))
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index)
  return [
    ...problems,
    ...open.map((tag) => `<${tag}> stays open`),
    ...nowhere.map((link) => `${link} leads nowhere`),
    ...twice,
  ]
}

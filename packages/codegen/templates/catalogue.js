// Adds a search box that hides the tools whose text does not contain all words.
;(() => {
  const nav = document.querySelector('nav')
  const tools = [...document.querySelectorAll('section.tool')]
  if (nav === null || tools.length < 2) return
  const label = document.createElement('label')
  const box = document.createElement('input')
  const counter = document.createElement('output')
  label.className = 'filter'
  label.textContent = 'Find tools '
  box.type = 'search'
  label.append(box, counter)
  nav.prepend(label)
  const entries = new Map([...nav.querySelectorAll('a')].map((link) => [link.getAttribute('href'), link.closest('li')]))
  const texts = tools.map((tool) => tool.textContent.toLowerCase())
  box.addEventListener('input', () => {
    const words = box.value
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== '')
    let found = 0
    tools.forEach((tool, index) => {
      const fits = words.every((word) => texts[index].includes(word))
      tool.hidden = !fits
      const entry = entries.get(`#${tool.id}`)
      if (entry) entry.hidden = !fits
      if (fits) found += 1
    })
    counter.textContent = words.length === 0 ? '' : `${found} of ${tools.length} tools`
  })
})()

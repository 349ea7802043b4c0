// The panel of a tide: its low and its high, as numbers.

export default function panel({ value, change, node }) {
  const tide = JSON.parse(value)
  const box = document.createElement('fieldset')
  const legend = document.createElement('legend')
  legend.textContent = `Tide of ${node.name}`
  box.append(
    legend,
    ...['low', 'high'].map((name) => {
      const label = document.createElement('label')
      const input = document.createElement('input')
      input.type = 'number'
      input.value = tide[name]
      input.addEventListener('change', () => {
        tide[name] = Number(input.value)
        change(tide)
      })
      label.append(`The ${name} one `, input)
      return label
    })
  )
  return box
}

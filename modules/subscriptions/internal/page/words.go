package page

import (
	"strconv"
	"strings"

	"panel/modules/flows/flowsapi"
)

// words are the texts of the page in one language.
type words struct {
	language string
	point    string
	units    []string
	dateForm string
	months   []string
	states   map[string]string
	empty    string
	lasts    func(days int) string

	Lead, Secret, Scan, Open, OpenOn, OtherDevices, Copy, Copied, CopyAddress, Links, LinksHelp string
	Used, Of, Left, Until, Unlimited, Support                                                   string
	Tunnels, TunnelsHelp, CopyFile, SaveFile                                                    string
}

var english = words{
	language: "en",
	point:    ".",
	units:    []string{"B", "kB", "MB", "GB", "TB", "PB"},
	dateForm: "%d %s %d",
	months: []string{
		"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
		"December",
	},
	states: map[string]string{
		flowsapi.Expired: "Your access has ended. Ask whoever gave you this address to extend it.",
		flowsapi.Spent:   "Your traffic is used up. Ask whoever gave you this address for more.",
	},
	empty: "There is no connection for you at the moment. Try again later.",
	lasts: func(days int) string {
		if days == 1 {
			return "1 day from your first connection"
		}
		return strconv.Itoa(days) + " days from your first connection"
	},
	Lead:         "Your connection",
	Secret:       "This address is your access. Do not share it.",
	Scan:         "Scan this code with the program on another device.",
	Open:         "Add to your program",
	OpenOn:       "Choose the program that you have installed; it opens and adds the connection.",
	OtherDevices: "Other devices",
	Copy:         "Copy",
	Copied:       "Copied",
	CopyAddress:  "Copy the address",
	Links:        "Single links",
	LinksHelp:    "For programs that do not take a subscription.",
	Used:         "Used",
	Of:           "of",
	Left:         "left",
	Until:        "Valid until",
	Unlimited:    "no limit",
	Support:      "Help",
	Tunnels:      "WireGuard",
	TunnelsHelp:  "Scan the code with the program WireGuard, or open the file there.",
	CopyFile:     "Copy the file",
	SaveFile:     "Save the file",
}

var russian = words{
	language: "ru",
	point:    ",",
	units:    []string{"Б", "кБ", "МБ", "ГБ", "ТБ", "ПБ"},
	dateForm: "%d %s %d\u00a0г.",
	months: []string{
		"января", "февраля", "марта", "апреля", "мая", "июня", "июля", "августа", "сентября", "октября", "ноября",
		"декабря",
	},
	states: map[string]string{
		flowsapi.Expired: "Срок доступа истёк. Попросите того, кто дал вам этот адрес, продлить его.",
		flowsapi.Spent:   "Трафик израсходован. Попросите добавить его у того, кто дал вам этот адрес.",
	},
	empty: "Сейчас для вас нет подключений. Попробуйте позже.",
	lasts: func(days int) string {
		return strconv.Itoa(days) + "\u00a0" + russianDays(days) + " с первого подключения"
	},
	Lead:         "Ваше подключение",
	Secret:       "Этот адрес — ваш доступ. Никому его не передавайте.",
	Scan:         "Отсканируйте код в приложении на другом устройстве.",
	Open:         "Добавить в приложение",
	OpenOn:       "Нажмите на приложение, которое у вас установлено: оно откроется и добавит подключение.",
	OtherDevices: "Другие устройства",
	Copy:         "Копировать",
	Copied:       "Скопировано",
	CopyAddress:  "Скопировать адрес",
	Links:        "Отдельные ссылки",
	LinksHelp:    "Для приложений, которые не умеют подписки.",
	Used:         "Израсходовано",
	Of:           "из",
	Left:         "осталось",
	Until:        "Действует до",
	Unlimited:    "без ограничений",
	Support:      "Помощь",
	Tunnels:      "WireGuard",
	TunnelsHelp:  "Отсканируйте код в приложении WireGuard или откройте в нём файл.",
	CopyFile:     "Скопировать файл",
	SaveFile:     "Сохранить файл",
}

// russianDays is the word for so many days.
func russianDays(n int) string {
	switch last, two := n%10, n%100; { //nolint:mnd // digits
	case last == 1 && two != 11:
		return "день"
	case last >= 2 && last <= 4 && (two < 12 || two > 14):
		return "дня"
	}
	return "дней"
}

// wordsFor gives the language that the visitor likes best of those that there are: "ru-RU,ru;q=0.9,en;q=0.8".
func wordsFor(accepted string) words {
	best, found := english, 0.0
	for _, one := range strings.Split(accepted, ",") {
		name, rest, _ := strings.Cut(strings.TrimSpace(one), ";")
		weight := 1.0
		if q, given := strings.CutPrefix(strings.TrimSpace(rest), "q="); given {
			weight, _ = strconv.ParseFloat(q, 64) // what is no number weighs nothing
		}
		main, _, _ := strings.Cut(strings.ToLower(name), "-")
		for _, w := range []words{english, russian} {
			if w.language == main && weight > found {
				best, found = w, weight
			}
		}
	}
	return best
}

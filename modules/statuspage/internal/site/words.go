package site

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// words are what a page says by itself in one language.
type words struct {
	locale     string
	name       string // of the language in itself
	statuses   map[string]string
	headlines  map[string]string // of the whole page, by its worst status
	unproven   string            // in place of "operational" while nothing is known of some components
	states     map[string]string // of incidents
	impacts    map[string]string
	works      map[string]string // states of maintenance
	months     []string
	skip       string
	current    string
	components string
	planned    string
	past       string
	history    string
	nothing    string
	none       string
	back       string
	feed       string
	calendar   string
	machines   string
	asOf       string
	old        string
	minutes    string
	hours      string
	today      string
	daysAgo    string    // after a number
	uptime     [2]string // around a text
	noData     string
	affected   string
	languages  string
	other      string // heading over components of no group beside groups
	badge      string
}

var english = &words{
	locale: "en", name: "English",
	statuses: map[string]string{
		Operational: "Operational", Degraded: "Degraded", PartialOutage: "Partial outage", MajorOutage: "Major outage",
		Maintained: "Maintenance", Unknown: "No data",
	},
	headlines: map[string]string{
		Operational: "All systems operational", Degraded: "Some systems are degraded",
		PartialOutage: "Some systems are down", MajorOutage: "Major outage", Maintained: "Maintenance in progress",
		Unknown: "Status is not known at the moment",
	},
	unproven: "No known problems",
	states: map[string]string{
		"investigating": "Investigating", "identified": "Identified", "monitoring": "Monitoring", "resolved": "Resolved",
	},
	impacts: map[string]string{"none": "No impact", "minor": "Minor", "major": "Major", "critical": "Critical"},
	works: map[string]string{
		"planned": "Planned", "active": "In progress", "done": "Completed", "cancelled": "Cancelled",
	},
	months: []string{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"},
	skip:   "Skip to the status", current: "Current incidents", components: "Components", planned: "Planned maintenance",
	past: "Past incidents", history: "Incident history", nothing: "No incidents in the last two weeks.",
	none: "No incidents in the last 90 days.", back: "Current status", feed: "Atom feed", calendar: "Calendar",
	machines: "JSON", asOf: "Data as of", old: "This page has had no news for", minutes: "min", hours: "h",
	today: "Today", daysAgo: " days ago", uptime: [2]string{"", " uptime"}, noData: "no data", affected: "Affected",
	languages: "Languages", other: "Other", badge: "status",
}

var russian = &words{
	locale: "ru", name: "Русский",
	statuses: map[string]string{
		Operational: "Работает", Degraded: "Работает с перебоями", PartialOutage: "Частичный сбой",
		MajorOutage: "Не работает", Maintained: "Обслуживание", Unknown: "Нет данных",
	},
	headlines: map[string]string{
		Operational: "Все системы работают", Degraded: "Часть систем работает с перебоями",
		PartialOutage: "Часть систем не работает", MajorOutage: "Крупный сбой", Maintained: "Идёт обслуживание",
		Unknown: "Состояние сейчас неизвестно",
	},
	unproven: "Известных проблем нет",
	states: map[string]string{
		"investigating": "Выясняем", "identified": "Причина найдена", "monitoring": "Наблюдаем", "resolved": "Решено",
	},
	impacts: map[string]string{
		"none": "Без последствий", "minor": "Незначительный", "major": "Серьёзный", "critical": "Критический",
	},
	works: map[string]string{
		"planned": "Запланировано", "active": "Идёт", "done": "Завершено", "cancelled": "Отменено",
	},
	months: []string{"янв", "фев", "мар", "апр", "мая", "июн", "июл", "авг", "сен", "окт", "ноя", "дек"},
	skip:   "К состоянию", current: "Текущие инциденты", components: "Компоненты", planned: "Плановые работы",
	past: "Прошедшие инциденты", history: "История инцидентов", nothing: "За последние две недели инцидентов не было.",
	none: "За последние 90 дней инцидентов не было.", back: "Текущее состояние", feed: "Лента Atom",
	calendar: "Календарь", machines: "JSON", asOf: "Данные на", old: "На этой странице нет новостей уже",
	minutes: "мин", hours: "ч", today: "Сегодня", daysAgo: " дней назад", uptime: [2]string{"доступность ", ""},
	noData: "нет данных", affected: "Затронуто", languages: "Языки", other: "Прочее", badge: "статус",
}

var spoken = map[string]*words{"en": english, "ru": russian}

func wordsOf(locale string) *words {
	if said := spoken[locale]; said != nil {
		return said
	}
	return english
}

// date is a day as people read it.
func (w *words) date(at time.Time) string {
	at = at.UTC()
	return strconv.Itoa(at.Day()) + " " + w.months[at.Month()-1] + " " + strconv.Itoa(at.Year())
}

// moment is a time as people read it; readers are everywhere, so it is in UTC and says so.
func (w *words) moment(at time.Time) string {
	return w.date(at) + ", " + at.UTC().Format("15:04") + " UTC"
}

// percent never rounds up to a whole: 99.999 is not 100.
func (w *words) percent(value float64) string {
	text := strconv.FormatFloat(float64(int64(value*100))/100, 'f', 2, 64)
	if w.locale == "ru" {
		return strings.Replace(text, ".", ",", 1) + " %"
	}
	return text + "%"
}

func (w *words) ago(days int) string { return strconv.Itoa(days) + w.daysAgo }

func (w *words) upFor(share float64) string { return w.uptime[0] + w.percent(share) + w.uptime[1] }

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
